/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly example?: unknown
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export interface Field {
  /** The path of a nested field, such as `currencies[].currency.code`. */
  readonly name: string
  readonly place: 'path' | 'query' | 'header' | 'body'
  readonly type: string
  readonly isRequired: boolean
  readonly description: string | undefined
}

interface SchemaReader {
  /** All fields of an object, the nested ones after the field that contains them. */
  fieldsOf(schema: Schema): readonly Field[]
  /** The type in words, such as `array of object` or `string or null`. */
  typeOf(schema: Schema): string
  aboutOf(schema: Schema): string | undefined
  /** An example of the required fields. A value that the reader must find has its name in capitals. */
  sampleOf(schema: Schema, name: string): unknown
}

const SAMPLE_AMOUNT = 1_000

/** @param schemas the named schemas of the document, none of which contains itself. */
export function createSchemaReader(schemas: Readonly<Record<string, Schema>>): SchemaReader {
  const resolved = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema
    const { $ref, ...own } = schema
    return { ...schemas[$ref.slice($ref.lastIndexOf('/') + 1)], ...own }
  }
  const isNull = ({ type }: Schema): boolean => type === 'null'

  const typeOf = (schema: Schema): string => {
    const { anyOf, type, items, enum: values } = resolved(schema)
    if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
    if (values !== undefined) return values.join(', ')
    if (items !== undefined) return `array of ${typeOf(items)}`
    return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any')
  }

  /** Without the array and the null around them. */
  const nestedOf = (schema: Schema, name: string): readonly Field[] => {
    const { anyOf, items, properties } = resolved(schema)
    if (anyOf !== undefined) return anyOf.filter((each) => !isNull(each)).flatMap((each) => nestedOf(each, name))
    if (items !== undefined) return nestedOf(items, `${name}[]`)
    return properties === undefined ? [] : fieldsOf(schema, `${name}.`)
  }

  const fieldsOf = (schema: Schema, prefix = ''): readonly Field[] => {
    const { properties = {}, required = [] } = resolved(schema)
    return Object.entries(properties).flatMap(([key, value]) => {
      const name = `${prefix}${key}`
      const isRequired = required.includes(key)
      const { description } = resolved(value)
      const field = { name, place: 'body' as const, type: typeOf(value), isRequired, description }
      return [field, ...nestedOf(value, name)]
    })
  }

  const sampleOf = (schema: Schema, name: string): unknown => {
    const { type, items, properties, example, required = [], enum: values } = resolved(schema)
    if (example !== undefined) return example
    if (values !== undefined) return values[0]
    if (items !== undefined) return [sampleOf(items, name)]
    if (properties !== undefined)
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([key]) => required.includes(key))
          .map(([key, value]) => [key, sampleOf(value, key)]),
      )
    return type === 'integer' ? SAMPLE_AMOUNT : name.toUpperCase()
  }

  return { fieldsOf: (schema) => fieldsOf(schema), typeOf, aboutOf: (schema) => resolved(schema).description, sampleOf }
}
