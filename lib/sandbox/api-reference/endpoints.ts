import type { ownOpenApiDocument } from '../../backend/openapi'
import { exampleOf, type Example } from './examples'
import { createSchemaReader, type Field, type Schema } from './fields'

export interface EndpointReference {
  /** The name of the command, or `exchange_token`. */
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly summary: string
  readonly description: string | undefined
  readonly request: readonly Field[]
  readonly reply: readonly Field[]
  readonly errors: readonly { readonly status: string; readonly description: string }[]
  readonly example: Example
}

/** The parts of an operation that the page shows. The generator's own types allow much that this document never has. */
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly in: 'path' | 'query' | 'header'
    readonly name: string
    readonly schema: Schema
    readonly required?: boolean
    readonly description?: string
  }[]
  readonly requestBody?: WithContent
  readonly responses: Readonly<Record<string, WithContent & { readonly description: string }>>
}

interface WithContent {
  readonly content?: { readonly 'application/json': { readonly schema: Schema } }
}

interface ApiDocument {
  readonly servers: readonly [{ readonly url: string }]
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The endpoints of the OpenAPI document, in its order, as the API reference shows them. */
export function endpointsOf(published: ReturnType<typeof ownOpenApiDocument>): readonly EndpointReference[] {
  const { servers, paths, components } = published as unknown as ApiDocument
  const reader = createSchemaReader(components.schemas)
  return Object.entries(paths).flatMap(([path, operations]) =>
    (['get', 'post'] as const).flatMap((each) => {
      const operation = operations[each]
      if (operation === undefined) return []
      const method = each === 'get' ? 'GET' : 'POST'
      const { operationId: id, summary, description, parameters = [], requestBody, responses } = operation
      const body = requestBody?.content?.['application/json'].schema
      const reply = responses['200']?.content?.['application/json'].schema
      return {
        id,
        method,
        path,
        summary,
        description,
        request: [
          ...parameters.map(({ in: place, name, schema, required = false, description: about }) => ({
            name,
            place,
            type: reader.typeOf(schema),
            isRequired: required,
            description: about ?? reader.aboutOf(schema),
          })),
          ...(body === undefined ? [] : reader.fieldsOf(body)),
        ],
        reply: reply === undefined ? [] : reader.fieldsOf(reply),
        errors: Object.entries(responses)
          .filter(([status]) => status !== '200')
          .map(([status, { description: why }]) => ({ status, description: why })),
        example: exampleOf({
          method,
          baseUrl: servers[0].url,
          path,
          query: Object.fromEntries(
            parameters
              .filter(({ in: place, required = false }) => place === 'query' && required)
              .map(({ name, schema }) => [name, String(reader.sampleOf(schema, name))]),
          ),
          body: body === undefined ? undefined : reader.sampleOf(body, 'body'),
        }),
      }
    }),
  )
}
