import type { GatewayPlan } from './gateway-plan'
import type { Value } from './gateway-values'

/** Each value with its source, aligned. */
export function valueLines({ vasp, gateway, shop, relay, dataDir }: GatewayPlan): string[] {
  const rows: readonly (readonly [string, Value])[] = [
    ['VASP', vasp.vasp],
    ['API', vasp.api],
    ['Login', vasp.login],
    ['Token exchange', vasp.exchange],
    ['JWT public key', { ...vasp.publicKey, text: shortKey(vasp.publicKey.text) }],
    ['JWT audience', vasp.audience],
    ['JWT issuer', vasp.issuer],
    ['VASP name', gateway.name],
    ['Gateway root URL', gateway.root],
    ['Relay', relay],
    ['Shop', shop],
    ['Data', dataDir],
    ['Commands', { ...gateway.commands, text: gateway.commands.text.replaceAll(',', ', ') }],
  ]
  const widest = (column: (row: readonly [string, Value]) => string): number =>
    Math.max(...rows.map((row) => column(row).length))
  const [names, sources] = [widest(([name]) => name), widest(([, { source }]) => source)]
  return rows.map(([name, { text, source }]) =>
    `  ${name.padEnd(names)}  ${source.padEnd(sources)}  ${text}`.replaceAll(/\p{Cc}/gu, ' '),
  )
}

/** One line for each fault of the discovery document that does not stop the start. */
export function warningLines({ gateway }: GatewayPlan): string[] {
  return gateway.warnings.map((warning) => `  Warning  ${warning}`)
}

/** The PEM texts of one curve begin with the same characters, so this shows the last 16. */
function shortKey(pem: string): string {
  return `P-256, PEM text ends in ${pem.replaceAll(/-----[^-]+-----|\s/g, '').slice(-16)}`
}

export function clickLines({ gateway, shop, relay }: GatewayPlan): string[] {
  return [
    `  Open     ${shop.text} (a shop to pay in)`,
    `           ${shop.text}/merchant (the shop's own wallet: connect it before you buy)`,
    `           ${gateway.root.text} (the gateway: sign in, connect an app, change budgets)`,
    `  Relay    ${relay.text}`,
  ]
}
