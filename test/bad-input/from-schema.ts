import fc from 'fast-check'
import { ODD_TEXTS, ODD_VALUES } from './oddities'

/** As much of a JSON Schema as our own say. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
}

/** Values by the name of their field that a schema alone does not lead to: what exists, an invoice that is good. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

/**
 * Values that fit a schema, or nearly: in each place something odd may stand instead, a field may be missing, and there may
 * be fields of no meaning. Mostly good, because what is wrong in the first field is never read any further.
 */
export function nearly(schema: Schema, known: Known, top: Schema = schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: good(schema, known, top) }, { weight: 1, arbitrary: odd })
}

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...ODD_VALUES),
  fc.constantFrom(...ODD_TEXTS),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

function good(schema: Schema, known: Known, top: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return good(top.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {}, known, top)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => good(each, known, top)))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (types.length > 1) return fc.oneof(...types.map((type) => good({ ...schema, type }, known, top)))
  switch (types[0]) {
    case 'object':
      return object(schema, known, top)
    case 'array':
      return fc.array(nearly(schema.items ?? {}, known, top), { maxLength: Math.min(schema.maxItems ?? 4, 4) })
    case 'integer':
    case 'number':
      return number(schema)
    case 'string':
      return schema.pattern === undefined
        ? fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...ODD_TEXTS))
        : fc.stringMatching(new RegExp(schema.pattern))
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case undefined:
    default:
      return odd
  }
}

function number({ minimum = -(2 ** 53), maximum = 2 ** 53 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.bigInt({ min: BigInt(minimum), max: BigInt(maximum) }).map(Number),
    fc.integer({ min: Math.max(minimum, -1_000), max: Math.min(maximum, Math.max(minimum, 0) + 100_000) }),
    fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1),
  )
}

function object({ properties = {}, required = [] }: Schema, known: Known, top: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]): [string, fc.Arbitrary<unknown>] => [
    name,
    name in known
      ? fc.oneof({ weight: 6, arbitrary: known[name] ?? odd }, { weight: 1, arbitrary: odd })
      : nearly(schema, known, top),
  ])
  const extra = fc.option(fc.dictionary(fc.constantFrom(...EXTRA_FIELDS), odd, { maxKeys: 2 }), { freq: 6, nil: {} })
  return fc
    .tuple(fc.record(Object.fromEntries(fields), { requiredKeys: [...required] }), extra, fc.nat({ max: 20 }))
    .map(([record, more, forgotten]) => {
      const whole: Record<string, unknown> = { ...record, ...more }
      // Now and then a field that is required is not there.
      const missing = required[forgotten]
      if (missing !== undefined && forgotten > 0) delete whole[missing]
      return whole
    })
}

/** What a body must not be able to set (mass assignment), and names that are special to JavaScript. */
const EXTRA_FIELDS = ['userId', 'user_id', 'state', 'wallet_id', 'fee_msats', 'debit', 'constructor', 'length', 'then']
