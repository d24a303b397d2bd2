/**
 * Reads definition files in the TOML format that Cordon shares with PFAR. The text is kept, so that comments survive.
 */
import { basename } from 'node:path'
import type { DefinitionProblem } from '../../kernel/server-definition.ts'
import { tokenVariable } from './draft-from-entry.ts'
import { readMcpJson } from './read-mcp-json.ts'
import { defined, objectOf, type ServerDraft, textList, textMap, textOf } from './server-draft.ts'
import { readToml, type TomlTable } from '../toml-file.ts'

const MAX_LENGTH = 256 * 1024

export interface TomlImport {
  readonly drafts: readonly ServerDraft[]
  readonly problems: readonly DefinitionProblem[]
}

export function readTomlText(path: string, text: string): TomlImport {
  if (text.length > MAX_LENGTH) {
    const message = `expected at most ${MAX_LENGTH / 1024} KiB`
    return { drafts: [], problems: [{ path, message }] }
  }
  const toml = readToml(text)
  if (toml.kind === 'mistake') {
    return { drafts: [], problems: [{ path, line: toml.line, message: toml.message }] }
  }
  const listed = readMcpJson(toml.table)
  return { drafts: listed ?? [draftFromTable(path, text, toml.table)], problems: [] }
}

function draftFromTable(path: string, text: string, table: TomlTable): ServerDraft {
  const { url, auth, env, config, token_env: variable, ...rest } = table
  const { command, args, ...server } = objectOf(table['server'])
  return {
    name: basename(path, '.toml'),
    table: defined({ ...rest, server }),
    command: textOf(command),
    args: textList(args),
    url: textOf(url),
    env: textMap(env),
    headers: {},
    auth: { ...tokenVariable(variable, url !== undefined), ...textMap(auth) },
    config: objectOf(config),
    text,
    notes: [],
  }
}
