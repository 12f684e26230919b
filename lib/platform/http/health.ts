import type { IncomingMessage, ServerResponse } from 'node:http'
import { readiness, serving, type ReadinessPorts } from '../readiness'
import { BASE_HEADERS } from './base-headers'
import { isFromOwnMachine } from './own-machine'

/** Addresses for service managers (`alive`), proxies (`serving`), and people and alerts (`ready`). */
export const HEALTH_PATHS = ['/-/alive', '/-/serving', '/-/ready'] as const
export type HealthPath = (typeof HEALTH_PATHS)[number]

interface Health {
  readonly ok: boolean
  /** For anyone. */
  readonly body: unknown
  /** For the machine itself and the operator: which checks fail, and which build runs. */
  readonly details: unknown
}

/** Whether the header `Authorization` is an operator's. */
export type IsOperator = (authorization: string | undefined) => boolean

/**
 * The state of this instance. `alive` checks nothing, so that a slow database does not cause the process to be killed. Never
 * throws.
 */
async function healthOf(path: HealthPath, ports: ReadinessPorts): Promise<Health> {
  if (path === '/-/alive') return { ok: true, body: { alive: true }, details: { alive: true } }
  if (path === '/-/serving') {
    const body = await serving(ports)
    return { ok: body.serving, body, details: body }
  }
  const details = await readiness(ports)
  return { ok: details.ready, body: { ready: details.ready }, details }
}

/** The address of a health check in a request line, with or without a query. */
export function healthPathOf(url: string): HealthPath | undefined {
  const [path] = url.split('?', 1)
  return HEALTH_PATHS.find((each) => each === path)
}

export type AnswerHealth = (path: HealthPath, request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Answers on node:http. Requests that arrive while a check runs share its result, so a flood of them costs no statements. */
export function makeAnswerHealth(ports: ReadinessPorts, isOperator: IsOperator): AnswerHealth {
  const running = new Map<HealthPath, Promise<Health>>()
  const share = (path: HealthPath): Promise<Health> => {
    const known = running.get(path)
    if (known !== undefined) return known
    const check = healthOf(path, ports).finally(() => running.delete(path))
    running.set(path, check)
    return check
  }
  return async (path, request, response) => {
    const { ok, body, details } = await share(path)
    const mayRead = isFromOwnMachine(request) || isOperator(request.headers.authorization)
    const text = JSON.stringify(mayRead ? details : body)
    response.writeHead(ok ? 200 : 503, {
      ...BASE_HEADERS,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : text)
  }
}

/** The same answer for `next dev` and `next start`, where no server of ours runs in front of Next, and none sees the socket. */
export async function healthResponse(path: HealthPath, ports: ReadinessPorts, isOperator: boolean): Promise<Response> {
  const { ok, body, details } = await healthOf(path, ports)
  return Response.json(isOperator ? details : body, {
    status: ok ? 200 : 503,
    headers: { 'Cache-Control': 'no-store' },
  })
}
