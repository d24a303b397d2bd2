/** The fields of a server's cordon: folders, hosts and label, each with its consequence in plain words. */
import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ServerSettings, SettingsChanges } from '../../../api/server-settings.ts'
import { EditableList } from './editable-list.tsx'

interface Folder {
  readonly path: string
  readonly use: 'read' | 'write'
}

/** The fields while they are edited. */
export interface LimitFields {
  readonly folders: Signal<readonly Folder[]>
  readonly domains: Signal<readonly string[]>
  readonly label: Signal<string>
}

export function createLimitFields(settings: ServerSettings): LimitFields {
  const { readPaths, writePaths, allowedDomains, label } = settings
  const written = new Set(writePaths)
  return {
    folders: signal([
      ...writePaths.map((path): Folder => ({ path, use: 'write' })),
      ...readPaths
        .filter((path) => !written.has(path))
        .map((path): Folder => ({ path, use: 'read' })),
    ]),
    domains: signal(allowedDomains),
    label: signal(label),
  }
}

/** Only the fields that differ from the settings. */
export function limitChanges(
  settings: ServerSettings,
  { folders, domains, label }: LimitFields,
): SettingsChanges {
  const pathsFor = (use: Folder['use']): readonly string[] =>
    folders.value.filter((folder) => folder.use === use).map(({ path }) => path)
  const [readPaths, writePaths] = [pathsFor('read'), pathsFor('write')]
  return {
    ...(!isSame(readPaths, settings.readPaths) && { readPaths }),
    ...(!isSame(writePaths, settings.writePaths) && { writePaths }),
    ...(!isSame(domains.value, settings.allowedDomains) && { allowedDomains: domains.value }),
    ...(label.value !== settings.label && { label: label.value }),
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const LABELS: Readonly<Record<string, string>> = {
  public: 'Everybody may know it: what it says goes anywhere unasked.',
  internal: 'What it says may go to your other servers and to your models unasked.',
  sensitive:
    'You are asked before what it says goes to another server; a model elsewhere reads it only if you allowed that.',
  regulated: 'You are asked every time, and only a model on this machine may read it.',
}

interface LimitsProps {
  readonly settings: ServerSettings
  readonly fields: LimitFields
}

export function ServerLimits({ settings, fields }: LimitsProps): JSX.Element {
  const { folders, domains, label } = fields
  return (
    <>
      {settings.takesFolders && (
        <EditableList
          title="Allowed Paths:"
          noun="Path"
          placeholder="~/Documents"
          rows={folders}
          textOf={({ path }) => path}
          make={(path): Folder => ({ path, use: 'read' })}
          aside={(folder, replace) => (
            <select
              aria-label={`What it may do below ${folder.path}`}
              value={folder.use}
              onChange={(event) =>
                replace({
                  ...folder,
                  use: event.currentTarget.value === 'write' ? 'write' : 'read',
                })
              }
            >
              <option value="read">may read</option>
              <option value="write">may change</option>
            </select>
          )}
        >
          <FolderMeaning folders={folders.value} />
        </EditableList>
      )}
      <EditableList
        title="Allowed Domains:"
        noun="Domain"
        placeholder="api.example.com"
        rows={domains}
        textOf={(domain) => domain}
        make={(domain) => domain}
      >
        <p>
          {domains.value.length === 0
            ? 'It reaches no host: nothing that it knows leaves this machine by it.'
            : 'It can send everything it knows to these hosts. Every other host is blocked.'}
        </p>
      </EditableList>
      <label>
        Label:
        <select value={label.value} onChange={(event) => (label.value = event.currentTarget.value)}>
          {Object.keys(LABELS).map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
        <span class="muted">{LABELS[label.value] ?? ''}</span>
      </label>
    </>
  )
}

function FolderMeaning({ folders }: { readonly folders: readonly Folder[] }): JSX.Element {
  const below = (use: Folder['use']): string =>
    folders
      .filter((folder) => folder.use === use)
      .map(({ path }) => path)
      .join(', ')
  const [read, write] = [below('read'), below('write')]
  if (folders.length === 0) return <p>It sees no folder of yours.</p>
  return (
    <>
      {read !== '' && <p>It can read everything below {read}, and change nothing there.</p>}
      {write !== '' && <p>It can change and delete anything below {write}.</p>}
    </>
  )
}
