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
 * The JSON Schema of an operation's input as clients see it: unknown keys refused, nothing in it
 * that a client is known to choke on (`$schema`, `propertyNames`, safe-integer bounds).
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

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
