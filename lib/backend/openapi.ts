import { COMMANDS, type CommandName, type UmaAuthVasp } from 'uma-auth-vasp'
import { openApiDocument, type CommandTexts, type OpenApiOptions, type ServerRefusal } from 'uma-auth-vasp/openapi'
import type { Settings } from '../platform/config'
import { COMMAND_RULES } from './command-rules'

/** The OpenAPI document of this VASP, with the errors that the server sends before a request reaches the API. */
export function ownOpenApiDocument(vasp: Pick<UmaAuthVasp, 'api'>, { publicOrigin }: Pick<Settings, 'publicOrigin'>) {
  return openApiDocument(vasp, {
    publicOrigin,
    version: '0.1.0',
    description: 'The API that a UMA Auth gateway calls at this VASP. A sandbox: no real money.',
    info: { license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    texts,
    serverRefusals,
  })
}

const NO_UMA = { '501': 'The address belongs to another VASP, and this VASP has no UMA keys to contact it' }

const REFUSALS: Readonly<Partial<Record<CommandName, CommandTexts['refusals']>>> = {
  pay_keysend: { '404': 'No user here has the name in record 696969' },
  lookup_user: NO_UMA,
  fetch_quote: NO_UMA,
  pay_to_address: NO_UMA,
}

const texts: OpenApiOptions['texts'] = Object.fromEntries(
  COMMANDS.map(({ name }) => [name, { description: COMMAND_RULES[name], refusals: REFUSALS[name] }]),
)

/** Node itself sends 408, 417 and 431, without a body. */
function serverRefusals(method: 'GET' | 'POST'): Readonly<Record<string, ServerRefusal>> {
  return {
    '408': {
      description: 'The request did not arrive in time: 10 s for its headers, 30 s for all of it',
      hasBody: false,
    },
    ...(method === 'GET' ? { '411': { description: 'A GET with a body of unstated length', hasBody: true } } : {}),
    '413': { description: 'The body is larger than 64 kB', hasBody: true },
    '414': { description: 'The address is longer than 8 kB', hasBody: true },
    '417': { description: 'The header Expect asks for something other than 100-continue', hasBody: false },
    '431': { description: 'The headers are larger than 16 kB', hasBody: false },
  }
}
