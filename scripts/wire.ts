import { setTimeout as delay } from 'node:timers/promises'
import type { LiveEvent } from '../lib/events/live-event'
import { EventsReply, readEvents, type EventsRequest } from '../lib/events/operator'
import { askRunning, givenServer, runCommand, withStopped, type Environment } from './instance'
import { WIRE } from './operator-options'
import { readOptions } from './options'
import { readWireArguments } from './wire-arguments'
import { followEvents, jsonLineOf, lineOf, type Following } from './wire-output'

const POLL_MS = 1_000

await runCommand(async () => {
  const { request, json, follow } = readOptions(WIRE, readWireArguments)
  const server = givenServer()
  const print = (event: LiveEvent): void => console.log((json ? jsonLineOf : lineOf)(event))

  async function run(read: Following['read'], first: EventsReply): Promise<void> {
    for (const event of first.events) print(event)
    if (follow) await followEvents({ read, print, onSilence, ...untilInterrupted() }, request, first)
    else if (first.events.length === 0) console.error('No event is stored.')
  }

  // The reader of a pipe may leave first, as head does.
  process.stdout.on('error', () => process.exit(0))
  const ask = (asked: EventsRequest) => askServer(server.env, asked)
  const first = await ask(request)
  if (first !== undefined) return run(ask, first)
  if (follow && !server.env.DATABASE_URL)
    throw new Error('No server answers, and only a running server writes to the embedded database. Start the server.')
  await withStopped(server, async (db) => {
    const read = (asked: EventsRequest) => readEvents(db, asked)
    await run(read, await read(request))
  })
})

async function askServer(env: Environment, request: EventsRequest): Promise<EventsReply | undefined> {
  const answer = await askRunning(env, 'wire', request)
  return answer === undefined ? undefined : EventsReply.parse(answer)
}

function onSilence(): void {
  console.error('The server does not answer. New events are printed when it answers again.')
}

/** Ctrl-C ends the command after the current read; a second one ends it at once. */
function untilInterrupted(): Pick<Following, 'wait' | 'signal'> {
  const controller = new AbortController()
  const { signal } = controller
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
  return { signal, wait: () => delay(POLL_MS, undefined, { signal }).catch(() => undefined) }
}
