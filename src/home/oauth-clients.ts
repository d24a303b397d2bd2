/**
 * Cordon's OAuth clients: `[oauth.<provider>]` in `config.toml`, with `client_id` and optionally the reference to the
 * client secret. Read at each use, so that an edit takes effect at once. Never holds a secret itself.
 */
import { parse } from 'smol-toml'
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { Files } from '../kernel/ports.ts'
import { parseSecretRef, type SecretRef } from '../kernel/secret-ref.ts'

export interface OAuthClientSettings {
  readonly clientId: string
  readonly secretRef?: SecretRef
  readonly redirectUri?: string
  /** The only issuer that this client may be used with. */
  readonly issuer?: string
}

export type FindOAuthClient = (provider: string) => Promise<OAuthClientSettings | undefined>

const shape = z.object({
  oauth: z
    .record(
      z.string(),
      z.object({
        client_id: z.string().min(1),
        client_secret: z.string().exactOptional(),
        redirect_uri: z.string().exactOptional(),
        issuer: z.url().exactOptional(),
      }),
    )
    .exactOptional(),
})

export function createOAuthClients(
  files: Pick<Files, 'read'>,
  configPath: string,
): FindOAuthClient {
  return async (provider) => {
    const bytes = await files.read(configPath)
    if (!bytes) return undefined
    const clients = readClients(bytes.toString(), configPath)
    const found = Object.hasOwn(clients, provider) ? clients[provider] : undefined
    if (!found) return undefined
    const { client_id: clientId, client_secret: secret, redirect_uri: redirectUri, issuer } = found
    return {
      clientId,
      ...(secret !== undefined && { secretRef: parseSecretRef(secret) }),
      ...(redirectUri !== undefined && { redirectUri }),
      ...(issuer !== undefined && { issuer }),
    }
  }
}

/** The error never quotes the file: a secret may have been put there by mistake. */
function readClients(text: string, path: string): NonNullable<z.infer<typeof shape>['oauth']> {
  try {
    return shape.parse(parse(text)).oauth ?? {}
  } catch {
    throw new CordonError(
      'home.config',
      {
        exit: 2,
        hint: 'Write `[oauth.github]` with `client_id = "…"` and secrets as `vault:NAME`',
      },
      `Cannot read the settings in ${JSON.stringify(path)}`,
    )
  }
}
