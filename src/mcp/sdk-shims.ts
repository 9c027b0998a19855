/**
 * Replaces the SDK's platform module in the bundle (scripts/build.mjs). The original imports a JSON Schema
 * compiler, half of the bundle, that only the SDK's `elicitInput` uses. Lectern asks through `Questions`
 * (questions.ts), which passes answers to the operation that asked, and checks tool arguments itself.
 */
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This build of Lectern has no JSON Schema validator.');
  }
}
