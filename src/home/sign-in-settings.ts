/**
 * `[sign_in]` in `config.toml`: the address of the owner's client metadata document, and the port on which a browser
 * comes back. Read at each use, so that an edit takes effect at once.
 */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { ConfigFile } from './config-file.ts'

export interface SignInSettings {
  /** An https URL under which the owner hosts what `cordon auth client-document` prints. */
  readonly clientDocument?: string
  /** The port of 127.0.0.1 on which a browser comes back; any free one if it is absent. */
  readonly callbackPort?: number
}

/** draft-ietf-oauth-client-id-metadata-document, section 3: https, with a path. */
const document = z.string().refine((text) => {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.pathname !== '/' && url.username === ''
})

const shape = z.strictObject({
  client_document: document.exactOptional(),
  callback_port: z.int().min(1024).max(65_535).exactOptional(),
})

export async function readSignInSettings(
  config: ConfigFile,
  path: string,
): Promise<SignInSettings> {
  const read = shape.safeParse((await config.table('sign_in')) ?? {})
  if (!read.success) throw unusable(path)
  const { client_document: clientDocument, callback_port: callbackPort } = read.data
  return {
    ...(clientDocument !== undefined && { clientDocument }),
    ...(callbackPort !== undefined && { callbackPort }),
  }
}

function unusable(path: string): CordonError {
  const hint =
    'Under `[sign_in]` write `client_document = "https://…/client.json"` and `callback_port = 8976`, or leave them out'
  return new CordonError(
    'home.config',
    { exit: 2, hint },
    `Cannot read the settings under [sign_in] in ${JSON.stringify(path)}`,
  )
}
