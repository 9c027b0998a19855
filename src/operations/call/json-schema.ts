import * as z from 'zod';

/** The part of JSON Schema 2020-12 that every MCP client accepts: flat, union-free, no references. */
export interface PropertySchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: PropertySchema;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | PropertySchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly default?: unknown;
}

export interface ObjectSchema extends PropertySchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
}

const cache = new WeakMap<z.ZodObject, ObjectSchema>();

/**
 * The JSON Schema of an operation's input for clients. Unknown keys are refused, and keywords that some
 * clients reject are left out (`$schema`, `propertyNames`, safe-integer bounds).
 */
export function inputSchema(input: z.ZodObject): ObjectSchema {
  const known = cache.get(input);
  if (known) return known;
  const schema = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.propertyNames;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.additionalProperties !== undefined && isEmptyObject(jsonSchema.additionalProperties)) {
        jsonSchema.additionalProperties = true;
      }
    },
  });
  const { type: _type, properties = {}, required } = schema as Partial<ObjectSchema>;
  const flat: ObjectSchema = {
    type: 'object',
    properties,
    ...(required !== undefined && required.length > 0 && { required }),
    additionalProperties: false,
  };
  cache.set(input, flat);
  return flat;
}

/**
 * The schema for models. A property of any JSON value is declared as a string, because clients drop tools, or
 * send arbitrary values, when a type is missing; `parseInput` still accepts any value.
 */
export function toolSchema(input: z.ZodObject): ObjectSchema {
  const known = toolSchemas.get(input);
  if (known) return known;
  const schema = inputSchema(input);
  const typed: ObjectSchema = { ...schema, properties: typedProperties(schema.properties) };
  toolSchemas.set(input, typed);
  return typed;
}

const toolSchemas = new WeakMap<z.ZodObject, ObjectSchema>();

function typedProperties(properties: ObjectSchema['properties']): ObjectSchema['properties'] {
  return Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, typed(property)]));
}

function typed(property: PropertySchema): PropertySchema {
  const { type, items, properties, additionalProperties } = property;
  return {
    type: type ?? 'string',
    ...property,
    ...(items && { items: typed(items) }),
    ...(properties && { properties: typedProperties(properties) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: typed(additionalProperties) }),
  };
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
