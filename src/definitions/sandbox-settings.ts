/** The settings that the section `[sandbox]` of a definition becomes. Pure. */
import type { SandboxSettings } from '../kernel/server-definition.ts'

/** The section as it is written, with its defaults. */
interface Written {
  readonly mode?: SandboxSettings['mode']
  readonly read_only_fs: boolean
  readonly allow_tmp: boolean
  readonly keeps_data: boolean
  readonly starts_browser: boolean
  readonly watch_opening: boolean
  readonly own_ports: boolean
  readonly read_paths: readonly string[]
  readonly write_paths: readonly string[]
}

/** Without the memory, which stands under `[limits]`, and with the mode only if the file says one. */
export function sandboxSettings(
  written: Written,
  homeFolder: string,
): Omit<SandboxSettings, 'mode' | 'memoryLimitBytes'> & Partial<Pick<SandboxSettings, 'mode'>> {
  const fromHome = (path: string): string => path.replace(/^~(?=\/)/, () => homeFolder)
  return {
    ...(written.mode && { mode: written.mode }),
    readOnlyFs: written.read_only_fs,
    allowTmp: written.allow_tmp,
    ...(written.keeps_data && { keepsData: true }),
    ...(written.starts_browser && { startsBrowser: true }),
    ...(written.watch_opening && { watchesOpening: true }),
    ...(written.own_ports && { ownPorts: true }),
    readPaths: written.read_paths.map(fromHome),
    writePaths: written.write_paths.map(fromHome),
  }
}
