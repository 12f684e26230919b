/**
 * An address of another party with our parameters: its query byte for byte, then ours, percent-encoded. Parameters of the
 * same names are removed from its query, so that each of ours appears once. A fragment stays last.
 *
 * `URL.searchParams` is not used: it writes the whole query again (`?close` as `?close=`, `%20` as `+`), and parties
 * compare, sign or route by the exact text.
 */
export function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const [, base = '', mark = '', query = '', fragment = ''] = /^([^?#]*)(\??)([^#]*)(#.*)?$/s.exec(address) ?? []
  const names = new Set(Object.keys(parameters))
  const kept = query === '' ? [] : query.split('&').filter((pair) => !names.has(nameOf(pair)))
  const ours = Object.entries(parameters).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  // A query that ends with & needs no second one.
  if (kept.length > 1 && kept.at(-1) === '') kept.pop()
  const all = [...kept, ...ours].join('&')
  return `${base}${all === '' ? mark : '?'}${all}${fragment}`
}

function nameOf(pair: string): string {
  // URLSearchParams ignores a question mark at the beginning of its text.
  return new URLSearchParams(`&${pair}`).keys().next().value ?? ''
}
