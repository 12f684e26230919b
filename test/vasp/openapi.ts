import type { UmaAuthVasp } from 'uma-auth-vasp'
import { expect } from 'vitest'
import { z } from 'zod'
import type { Application } from '@/lib/backend/application'
import { ownOpenApiDocument } from '@/lib/backend/openapi'
import { makeProtocol } from '@/lib/backend/protocol'
import { loadSettings } from '@/lib/platform/config'
import type { Answer } from './vasp'

/** A VASP for its API document only: without keys and database. */
export function describedVasp(env: Readonly<Record<string, string>> = {}): UmaAuthVasp {
  const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters', ...env })
  const node = { identity: { network: 'regtest' } }
  return makeProtocol({ settings, node, keys: { signing: undefined, verification: [] } } as unknown as Application)
}

const document = ownOpenApiDocument(describedVasp(), { publicOrigin: 'http://localhost:3000' })
const known = new Map<string, z.ZodType>()

/** Compares an answer with the published document: its status must be listed, and its body must match the schema. */
export function expectDocumented(method: 'get' | 'post', path: string, answer: Answer): void {
  const template = path.replace(/\?.*$/s, '').replace(/^\/invoices\/.*/s, '/invoices/{payment_hash}')
  const described = document.paths?.[template]?.[method]?.responses?.[String(answer.status) as '200']
  expect(described, `${method} ${template} answered an undocumented ${answer.status}`).toBeDefined()
  const schema = (described as { content: Record<string, { schema: object }> }).content['application/json']?.schema
  const key = JSON.stringify(schema)
  const reader = known.get(key) ?? z.fromJSONSchema(withoutReferences(schema) as Parameters<typeof z.fromJSONSchema>[0])
  known.set(key, reader)
  const parsed = reader.safeParse(answer.body)
  expect(parsed.error?.issues ?? [], `${method} ${template} ${answer.status}`).toEqual([])
}

function withoutReferences(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) => {
      const name = (value as { $ref?: string } | null)?.$ref?.replace('#/components/schemas/', '')
      return name === undefined ? value : document.components?.schemas?.[name]
    }),
  )
}
