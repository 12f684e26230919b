import { parseJson } from '../../platform/parse-json'
import type { EndpointReference } from './endpoints'
import type { Field } from './fields'

export interface TypedCall {
  readonly method: 'GET' | 'POST'
  /** Below the base path, with the query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON */
  readonly body: string | undefined
}

export interface Mistake {
  readonly field: string
  readonly code: 'missing' | 'number' | 'json' | 'header'
}

/** The fields that a form can fill in: nested fields are part of the JSON of the field that contains them. */
export function inputsOf({ request }: Pick<EndpointReference, 'request'>): readonly Field[] {
  return request.filter(({ name }) => !name.includes('.'))
}

/** The call that was typed into a form, or its first mistake. The API itself judges the values. */
export function readCall(endpoint: EndpointReference, typed: Readonly<Record<string, string>>): TypedCall | Mistake {
  const { method } = endpoint
  let { path } = endpoint
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  const body: Record<string, unknown> = {}
  for (const field of inputsOf(endpoint)) {
    const { name, place, isRequired } = field
    const text = typed[name]?.trim()
    if (text === undefined || text === '') {
      if (isRequired) return { field: name, code: 'missing' }
      continue
    }
    if (place === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(text))
    else if (place === 'query') query.set(name, text)
    else if (place === 'header') {
      if (!/^[\x21-\x7e]{1,200}$/.test(text)) return { field: name, code: 'header' }
      headers[name] = text
    } else {
      const value = valueOf(field, text)
      if (value === undefined) return { field: name, code: field.type.startsWith('integer') ? 'number' : 'json' }
      body[name] = value
    }
  }
  const url = query.size === 0 ? path : `${path}?${query}`
  return { method, url, headers, body: method === 'GET' ? undefined : JSON.stringify(body) }
}

/** Undefined for a text that cannot be a value of the field. */
function valueOf({ type }: Field, text: string): unknown {
  if (type.startsWith('integer')) return /^-?\d{1,16}$/.test(text) ? Number(text) : undefined
  return type.startsWith('array of') ? parseJson(text) : text
}
