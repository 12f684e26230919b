import { curlOf } from '../wire/details'

/** One call in three languages. Each reads the token from the environment variable TOKEN. */
export interface Example {
  readonly curl: string
  readonly fetch: string
  readonly python: string
}

interface ExampleCall {
  readonly method: 'GET' | 'POST'
  readonly baseUrl: string
  /** A template. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

const PATH_PARAMETER = /\{(\w+)\}/g

export function exampleOf({ method, baseUrl, path: template, query, body }: ExampleCall): Example {
  const path = template.replace(PATH_PARAMETER, (_, name: string) => name.toUpperCase())
  const params = new URLSearchParams(query)
  // A JSON string is a string of JavaScript and of Python too.
  const url = JSON.stringify(`${baseUrl}${path}${params.size === 0 ? '' : `?${params}`}`)
  return {
    curl:
      curlOf(baseUrl, { method, path, query: { ...query } }, body === undefined ? undefined : JSON.stringify(body)) ??
      '',
    fetch: fetchOf(method, url, body),
    python: pythonOf(method, url, body),
  }
}

function fetchOf(method: string, url: string, body: unknown): string {
  const lines =
    body === undefined
      ? ['  headers: { Authorization: `Bearer ${process.env.TOKEN}` },']
      : [
          `  method: '${method}',`,
          "  headers: { Authorization: `Bearer ${process.env.TOKEN}`, 'Content-Type': 'application/json' },",
          `  body: JSON.stringify(${indented(body)}),`,
        ]
  return [
    `const response = await fetch(${url}, {`,
    ...lines,
    '})',
    'console.log(response.status, await response.json())',
  ].join('\n')
}

function pythonOf(method: string, url: string, body: unknown): string {
  return [
    'import os, requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `  ${url},`,
    '  headers={"Authorization": f"Bearer {os.environ[\'TOKEN\']}"},',
    // The examples contain no true, false or null, which Python spells differently.
    ...(body === undefined ? [] : [`  json=${indented(body)},`]),
    ')',
    'print(response.status_code, response.json())',
  ].join('\n')
}

function indented(body: unknown): string {
  return JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
}
