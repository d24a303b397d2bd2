/** Whether a definition's text refers to a secret of the vault. By its text, so that a file with a mistake in it counts too. */

export function namesSecret(text: string, secret: string): boolean {
  const reference = secret.startsWith('oauth/') ? secret.replace('/', ':') : `vault:${secret}`
  return text
    .split(reference)
    .slice(1)
    .some((rest) => !/^[A-Za-z0-9._/@-]/.test(rest))
}
