/**
 * The addresses of the gateway's sign-in, and the two metadata documents: RFC 9728 (the resource) and RFC 8414 (the
 * server). A program may know this machine as 127.0.0.1 or as localhost; each gets documents that name its own spelling.
 */
import type { JsonObject } from '../../text/json.ts'

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
export const SERVER_METADATA = '/.well-known/oauth-authorization-server'
export const AUTHORIZE = '/oauth/authorize'
export const TOKEN = '/oauth/token'
export const REGISTER = '/oauth/register'

/** The two spellings of this machine, with the port. */
export function originsAt(port: number): readonly string[] {
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
}

export function resourceAt(origin: string): string {
  return `${origin}/mcp`
}

/** The issuer whose resource this is; undefined for any other address. */
export function issuerOf(resource: string, port: number): string | undefined {
  return originsAt(port).find((origin) => resourceAt(origin) === resource)
}

export function challengeFor(origin: string): string {
  return `Bearer resource_metadata="${origin}${RESOURCE_METADATA}/mcp"`
}

export function resourceMetadata(origin: string): JsonObject {
  return {
    resource: resourceAt(origin),
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    resource_name: 'Cordon',
  }
}

export function serverMetadata(origin: string, port: number): JsonObject {
  return {
    issuer: origin,
    // The owner's browser is signed in at this spelling alone.
    authorization_endpoint: `http://127.0.0.1:${port}${AUTHORIZE}`,
    token_endpoint: `${origin}${TOKEN}`,
    registration_endpoint: `${origin}${REGISTER}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }
}
