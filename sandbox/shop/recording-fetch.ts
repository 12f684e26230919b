import type { CustomFetchOptions } from 'oauth4webapi'
import { z } from 'zod'
import { jsonOf } from '../shared/json'
import { readText } from '../shared/read-text'
import type { Recorder } from './call-log'
import { explainOAuthError } from './oauth-problem'
import { reasonOf, type Problem } from './problem'
import { headersText } from './redact'

const MAX_BYTES = 64 * 1024

/** Sends the requests of oauth4webapi, and records request and response for the page. */
export function recordingFetch(record: Recorder, words: string) {
  return async (url: string, init: CustomFetchOptions<'POST', URLSearchParams>): Promise<Response> => {
    const fields = [...init.body].map(([name, value]) => `${name}=${value}`).join('\n')
    const headers = new Headers(init.headers)
    const entry = record(words, 'http', `POST ${url}\n${headersText(headers)}\n${fields}`)
    try {
      const response = await fetch(url, { ...init, redirect: 'manual' })
      const text = await readText(response, MAX_BYTES)
      const raw = `${response.status}\n${headersText(response.headers)}\n${pretty(text)}`
      if (response.ok) entry.done(raw)
      else entry.failed(raw, refusal(response.status, text, url))
      return new Response(text === '' ? null : text, { status: response.status, headers: response.headers })
    } catch (error) {
      entry.failed(null, explainOAuthError(new Error(reasonOf(error)), url))
      throw error
    }
  }
}

function refusal(status: number, text: string, url: string): Problem {
  const message = text.slice(0, 300)
  const body = z.object({ error: z.string(), error_description: z.string().optional() }).safeParse(jsonOf(text))
  const code = body.success ? body.data.error : `HTTP ${status}`
  return {
    code,
    message: body.success ? (body.data.error_description ?? '') : message,
    meaning: `${new URL(url).pathname} refused.`,
    side: status >= 500 ? 'gateway' : 'shop',
    todo: 'The page explains the error.',
  }
}

const pretty = (text: string): string => {
  const value = jsonOf(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
