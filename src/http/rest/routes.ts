import { LecternError } from '../../errors.ts';
import { type Operation, type RoutedOperation, routesOf } from '../../operations/operation.ts';

export type Method = RoutedOperation['rest']['method'];

export interface Route {
  readonly operation: RoutedOperation;
  readonly method: Method;
  readonly parameters: readonly string[];
  readonly pattern: RegExp;
}

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly kind: 'none' };

/**
 * Finds the operation for a method and path. A parameter matches several segments, as note paths have them; a
 * word of a route that is part of a path must be percent-encoded.
 */
export class Routes {
  readonly #routes: readonly Route[];

  constructor(operations: readonly Operation[]) {
    this.#routes = routesOf(operations)
      .map(toRoute)
      .sort((a, b) => literals(b.operation) - literals(a.operation));
  }

  /**
   * @param pathname as received, percent-encoded
   * @throws LecternError `invalid_path` for escapes that are not UTF-8
   */
  match(method: string, pathname: string): Match {
    const found = this.#routes.filter(({ pattern }) => pattern.test(pathname));
    const [best] = found;
    if (best === undefined) return { kind: 'none' };
    const same = found.filter((route) => literals(route.operation) === literals(best.operation));
    // Without a route of its own, HEAD is GET without the body.
    const route =
      same.find((each) => each.method === method) ??
      (method === 'HEAD' ? same.find((each) => each.method === 'GET') : undefined);
    if (route === undefined) return { kind: 'wrong_method', allow: same.map((each) => each.method) };
    const captured = route.pattern.exec(pathname) ?? [];
    const values = route.parameters.map((name, at) => [name, decodePath(captured[at + 1] ?? '')] as const);
    return { kind: 'route', route, values: Object.fromEntries(values) };
  }
}

function toRoute(operation: RoutedOperation): Route {
  const { method, path } = operation.rest;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const source = path
    .split(/\{\w+\}/)
    .map((literal) => literal.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
    .join('(.+)');
  return { operation, method, parameters, pattern: new RegExp(`^${source}/?$`) };
}

/** Number of literal characters: the route with more is more specific. */
function literals({ rest }: RoutedOperation): number {
  return rest.path.replace(/\{\w+\}/g, '').length;
}

/**
 * A path from a URL: each segment is decoded once.
 * @throws LecternError `invalid_path` for escapes that are not UTF-8
 */
export function decodePath(raw: string): string {
  try {
    return raw
      .split('/')
      .map((segment) => decodeURIComponent(segment))
      .join('/');
  } catch {
    throw new LecternError('invalid_path', `The path ${JSON.stringify(raw)} has malformed percent escapes.`, {
      next: 'Encode each segment as UTF-8; a percent sign is %25.',
    });
  }
}
