import type { DescribeQueryResult } from '@electric-sql/pglite'
import { TypeFlags, type Checker, type Type, type TypeReference } from 'typescript/unstable/sync'

type Kind = 'bigint' | 'number' | 'string' | 'boolean' | 'date' | 'json' | 'bytes'

const FIRST_OID_OF_USERS = 16_384
const KINDS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [16, 'boolean'],
  [17, 'bytes'],
  [19, 'string'],
  [20, 'bigint'],
  [21, 'number'],
  [23, 'number'],
  [25, 'string'],
  [26, 'number'],
  [114, 'json'],
  [700, 'number'],
  [701, 'number'],
  [1042, 'string'],
  [1043, 'string'],
  [1082, 'date'],
  [1114, 'date'],
  [1184, 'date'],
  // numeric: both drivers return its digits as text.
  [1700, 'string'],
  [2950, 'string'],
  [3802, 'json'],
])
const ELEMENTS: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1015, 1043],
  [1016, 20],
  [1022, 701],
  [1185, 1184],
  [2951, 2950],
])

const FLAGS: Readonly<Partial<Record<Kind, TypeFlags>>> = {
  bigint: TypeFlags.BigIntLike,
  number: TypeFlags.NumberLike,
  string: TypeFlags.StringLike,
  boolean: TypeFlags.BooleanLike,
}

/**
 * Lists where the columns of a statement differ from its row type. Nullability is not compared, because the server does not
 * report it.
 */
export function differences(checker: Checker, row: Type, { resultFields }: DescribeQueryResult): string[] {
  const properties = propertiesOf(checker, row)
  const missing = [...properties.keys()].filter((name) => !resultFields.some((field) => field.name === name))
  const wrong = resultFields.flatMap(({ name, dataTypeID }) => {
    const types = properties.get(name)
    if (types === undefined) return [`the column ${name} is not in the row type`]
    return types
      .filter((type) => !fits(checker, type, dataTypeID))
      .map(
        (type) =>
          `${name} is ${checker.typeToString(type)} in the row type, and its column has the type OID ${dataTypeID}`,
      )
  })
  return [...missing.map((name) => `the statement returns no column ${name}`), ...wrong]
}

/** The properties of a row type, each with its types in all members of the union. */
function propertiesOf(checker: Checker, row: Type): Map<string, Type[]> {
  const found = new Map<string, Type[]>()
  for (const member of membersOf(row))
    for (const property of checker.getPropertiesOfType(member)) {
      const type = checker.getTypeOfSymbol(property)
      if (type !== undefined) found.set(property.name, [...(found.get(property.name) ?? []), type])
    }
  return found
}

function fits(checker: Checker, type: Type, oid: number): boolean {
  const members = membersOf(type).filter((member) => !(member.flags & (TypeFlags.Null | TypeFlags.Undefined)))
  const element = ELEMENTS.get(oid)
  if (element === undefined) {
    const kind = KINDS.get(oid) ?? (oid >= FIRST_OID_OF_USERS ? 'string' : undefined)
    return kind !== undefined && members.every((member) => isOf(kind, member))
  }
  return members.every((member) => {
    if (!checker.isArrayLikeType(member)) return false
    return checker.getTypeArguments(member as TypeReference).every((each) => fits(checker, each, element))
  })
}

function isOf(kind: Kind, type: Type): boolean {
  const flags = FLAGS[kind]
  if (flags !== undefined) return (type.flags & flags) !== 0
  const name = type.getSymbol()?.name
  if (kind === 'date') return name === 'Date'
  if (kind === 'bytes') return name === 'Uint8Array' || name === 'Buffer'
  return (type.flags & (TypeFlags.Object | TypeFlags.Intersection | TypeFlags.Unknown)) !== 0 && name !== 'Date'
}

function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? (type.getTypes() ?? []) : [type]
}
