/**
 * URL schemes that a program registers with the desktop, so that a browser hands addresses back to it (RFC 8252 section
 * 7.1). Only schemes of known programs: an address of any other scheme may run a script or open a file. Pure.
 */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['claude:', 'Claude Desktop'],
  ['cursor:', 'Cursor'],
  ['vscode:', 'VS Code'],
  ['vscode-insiders:', 'VS Code Insiders'],
  ['vscodium:', 'VSCodium'],
  ['windsurf:', 'Windsurf'],
  ['zed:', 'Zed'],
])

/** The program that opens addresses of this scheme; undefined if none is known. */
export function programOfScheme(uri: string): string | undefined {
  const url = URL.parse(uri)
  if (!url || url.username !== '' || url.password !== '' || uri.includes('#')) return undefined
  return url.host === '' ? undefined : PROGRAMS.get(url.protocol)
}
