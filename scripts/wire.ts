import { setTimeout as delay } from 'node:timers/promises'
import { EventsReply, readEvents, type EventsRequest } from '../lib/events/operator'
import { askRunning, givenServer, runCommand, withStopped, type Environment } from './instance'
import { WIRE } from './operator-options'
import { readOptions } from './options'
import { readWireArguments } from './wire-arguments'
import { followEvents, jsonLineOf, storyPrinter, type Following } from './wire-output'

const POLL_MS = 1_000

await runCommand(async () => {
  const { request, json, follow } = readOptions(WIRE, readWireArguments)
  const server = givenServer()
  const write = (line: string): void => console.log(line)
  const print: Following['print'] = json
    ? (events) => events.forEach((event) => write(jsonLineOf(event)))
    : storyPrinter(write)

  async function run(read: Following['read'], first: EventsReply): Promise<void> {
    print(first.events)
    if (follow) await followEvents({ read, print, onSilence, ...untilInterrupted() }, request, first)
    else if (first.events.length === 0) console.error('No event is stored.')
    print([])
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
