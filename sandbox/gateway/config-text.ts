export type ConfigFormat = 'env' | 'python'

/** Settings that only the gateway's operator can fill in. Nothing secret of the VASP is ever printed. */
const OPERATORS_OWN: readonly (readonly [string, string])[] = [
  ['DATABASE_URI', 'sqlite+aiosqlite:////var/lib/uma-nwc/gateway.sqlite'],
  ['RELAY', 'wss://relay.example'],
  ['NOSTR_PRIVKEY', 'set 64 random hex digits, and keep them'],
  ['SECRET_KEY', 'set a long random text, and keep it'],
]

/** The settings of the public gateway for this VASP, as the file that it reads. */
export function gatewayConfig(
  format: ConfigFormat,
  filled: Readonly<Record<string, string>>,
  supported: readonly string[],
): string {
  const values = { ...filled, VASP_SUPPORTED_COMMANDS: '' }
  const note = 'Settings of a UMA Auth gateway in front of this VASP. The last four are yours to set.'
  if (format === 'env') {
    const known = Object.entries(values).map(
      ([name, value]) => `${name}=${name === 'VASP_SUPPORTED_COMMANDS' ? supported.join(',') : oneLine(value)}`,
    )
    return [
      `# ${note}`,
      ...known,
      ...OPERATORS_OWN.map(([name, value]) => `${name}=${value.includes(' ') ? `"${value}"` : value}`),
      '',
    ].join('\n')
  }
  const known = Object.entries(values).map(
    ([name, value]) =>
      `${name} = ${name === 'VASP_SUPPORTED_COMMANDS' ? `[${supported.map(python).join(', ')}]` : python(value)}`,
  )
  return [`# ${note}`, ...known, ...OPERATORS_OWN.map(([name, value]) => `${name} = ${python(value)}`), ''].join('\n')
}

function oneLine(value: string): string {
  return value.replaceAll('\n', '\\n')
}

/** A Python string literal; the settings hold neither quotes nor control characters other than line ends. */
function python(value: string): string {
  return `"${value.replaceAll('\\n', '\n').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
