import { answer } from '../reference-vasp'
import {
  answers,
  at,
  atDiscovery,
  example,
  instead,
  json,
  together,
  withHeader,
  type Json,
  type Mutation,
} from './tools'

/** A discovery document with other fields. */
function document(
  caughtBy: string,
  mistake: string,
  change: (body: Json) => Json,
  rest: Partial<Mutation> = {},
): Mutation {
  return example(caughtBy, mistake, json(atDiscovery, change), rest)
}

const listed = (body: Json): string[] => body.nwc_commands_supported as string[]
const offered = (body: Json): string[] => body.methods as string[]

export const discoveryMutations: readonly Mutation[] = [
  example(
    'discovery.served',
    'serves no discovery document',
    instead(atDiscovery, () => answer(404, 'Not found')),
  ),
  document('discovery.name', 'has no name', ({ name: _name, ...body }) => body),
  document('discovery.uma-major-versions', 'lists the UMA versions as strings', (body) => ({
    ...body,
    uma_major_versions: ['1'],
  })),
  document('discovery.authorization-endpoint', 'names another authorization path', (body) => ({
    ...body,
    authorization_endpoint: String(body.authorization_endpoint).replace('/oauth/auth', '/authorize'),
  })),
  document('discovery.token-endpoint', 'names no token endpoint', ({ token_endpoint: _endpoint, ...body }) => body),
  document('discovery.connection-management-endpoint', 'leaves out the placeholder of the connection ID', (body) => ({
    ...body,
    connection_management_endpoint: String(body.connection_management_endpoint).replace('/<connection_id>', ''),
  })),
  document('discovery.revocation-endpoint', 'sends null as the revocation endpoint', (body) => ({
    ...body,
    revocation_endpoint: null,
  })),
  document('discovery.grant-types', 'supports another grant type', (body) => ({
    ...body,
    grant_types_supported: ['implicit'],
  })),
  document('discovery.code-challenge-methods', 'supports plain code challenges', (body) => ({
    ...body,
    code_challenge_methods_supported: ['plain'],
  })),
  document(
    'discovery.one-gateway',
    'points the revocation endpoint at another server',
    (body) => ({ ...body, revocation_endpoint: 'https://vasp.example/oauth/revoke' }),
    { withoutGateway: true },
  ),
  example(
    'discovery.cors',
    'does not let pages of other origins read the document',
    answers(atDiscovery, (given) => withHeader(given, 'access-control-allow-origin', undefined)),
  ),
  example(
    'discovery.content-type',
    'sends the document as HTML',
    answers(atDiscovery, (given) => withHeader(given, 'content-type', 'text/html')),
  ),
  document('discovery.commands', 'does not list a command that /info has', (body) => ({
    ...body,
    nwc_commands_supported: listed(body).filter((name) => name !== 'get_balance'),
  })),
  example(
    'discovery.command-names',
    'lists a command that no gateway knows',
    together(
      json(atDiscovery, (body) => ({ ...body, nwc_commands_supported: [...listed(body), 'sign_message'] })),
      json(at('/info'), (body) => ({ ...body, methods: [...offered(body), 'sign_message'] })),
    ),
  ),
  example(
    'info.required-commands',
    'does not advertise get_budget',
    together(
      json(atDiscovery, (body) => ({
        ...body,
        nwc_commands_supported: listed(body).filter((name) => name !== 'get_budget'),
      })),
      json(at('/info'), (body) => ({ ...body, methods: offered(body).filter((name) => name !== 'get_budget') })),
    ),
    // The endpoint still answers.
  ),
]
