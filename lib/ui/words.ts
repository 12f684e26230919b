import { application } from '../backend/application'
import type { Protocol } from '../uma/counterparty'

/** How somebody at an address was spoken to, for people. */
export function protocolInWords(protocol: Protocol, domain: string): string {
  switch (protocol) {
    case 'own':
      return `somebody here at ${application().settings.vaspName}`
    case 'uma-1':
      return `UMA 1, signed by ${domain}`
    case 'uma-0':
      return `UMA 0.3, signed by ${domain}`
    case 'lnurl':
      return `Lightning Address at ${domain}, which signs nothing`
  }
}
