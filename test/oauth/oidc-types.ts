/** Types for the parts of `oidc-provider` that the tests use; the package comes without types. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Interaction {
  readonly prompt: { readonly name: string }
  readonly params: Readonly<Record<string, string | undefined>>
  readonly session?: { readonly accountId: string }
}

interface Grant {
  addOIDCScope(scope: string): void
  addResourceScope(resource: string, scope: string): void
  save(): Promise<string>
}

interface Context {
  readonly oidc: { readonly params?: Readonly<Record<string, unknown>> }
}

export interface Provider {
  proxy: boolean
  readonly Grant: new (fields: { accountId: string; clientId: string }) => Grant
  callback(): (request: IncomingMessage, response: ServerResponse) => void
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: Readonly<Record<string, unknown>>,
  ): Promise<void>
  on(event: 'grant.success' | 'grant.error', heard: (context: Context) => void): unknown
}

export type ProviderClass = new (
  issuer: string,
  configuration: Readonly<Record<string, unknown>>,
) => Provider
