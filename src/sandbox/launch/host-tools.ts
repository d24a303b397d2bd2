/** The host programs that build a sandbox, looked up in the system's folders only. The caller's PATH is never used. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { SYSTEM_FOLDERS } from './run-command.ts'
import { missingTool } from '../sandbox-errors.ts'

export interface HostTools {
  readonly bubblewrap: string
  readonly perl: string
}

export function findTools(): HostTools {
  return {
    bubblewrap: find('bwrap', 'bubblewrap'),
    perl: find('perl', 'perl-base'),
  }
}

function find(name: string, debianPackage: string): string {
  const found = SYSTEM_FOLDERS.map((folder) => path.join(folder, name)).find(existsSync)
  if (found === undefined) throw missingTool(name, debianPackage)
  return found
}
