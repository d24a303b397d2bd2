/** The tokens inside a stored answer of a token endpoint: each is a secret of its own, and travels alone. */
const NAMES = ['access_token', 'refresh_token', 'id_token', 'client_secret'] as const
const OPENING_BRACE = 0x7b

export function tokensWithin(value: Uint8Array): readonly Buffer[] {
  if (value[0] !== OPENING_BRACE) return []
  try {
    const answer = JSON.parse(Buffer.from(value).toString()) as Readonly<Record<string, unknown>>
    return NAMES.map((name) => answer[name])
      .filter((token) => typeof token === 'string')
      .map((token) => Buffer.from(token))
  } catch {
    return []
  }
}
