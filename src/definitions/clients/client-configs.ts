/**
 * The files in which MCP clients keep their servers, by platform, each with its source. Data alone: nothing is read or
 * written here.
 */
import { join } from 'node:path'

export interface ClientConfig {
  /** Also the name under which the client is registered with the gateway. */
  readonly id: string
  readonly name: string
  readonly format: 'json' | 'toml'
  /** The key of the table of servers. */
  readonly key: 'mcpServers' | 'servers' | 'mcp_servers'
  /** The client wants `type` in an entry that it starts. */
  readonly hasType?: true
  /** The first file that exists counts; a new one is made at the first place. */
  readonly places: Readonly<Record<Platform, readonly string[]>>
  /** The file is part of a project, under version control with the rest. */
  readonly isOfProject?: true
  /** The client's own documentation of the file. */
  readonly source: string
}

export type Platform = 'linux' | 'darwin' | 'win32'

/** The folders that a place begins with. */
export interface ConfigFolders {
  readonly platform: Platform
  readonly home: string
  /** `XDG_CONFIG_HOME`, `~/Library/Application Support` or `%APPDATA%`. */
  readonly settings: string
  /** `CODEX_HOME`. */
  readonly codex: string
  /** The folder that the owner works in; absent: no project is looked at. */
  readonly project?: string
}

const everywhere = (...places: readonly string[]): ClientConfig['places'] => ({
  linux: places,
  darwin: places,
  win32: places,
})

export const CLIENT_CONFIGS: readonly ClientConfig[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    places: everywhere('settings:Claude/claude_desktop_config.json'),
    source: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    hasType: true,
    places: everywhere('home:.claude.json'),
    source: 'https://code.claude.com/docs/en/mcp',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    places: everywhere('home:.cursor/mcp.json'),
    source: 'https://cursor.com/docs/context/mcp',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    key: 'servers',
    hasType: true,
    places: everywhere('settings:Code/User/mcp.json'),
    source: 'https://code.visualstudio.com/docs/copilot/customization/mcp-servers',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    key: 'mcpServers',
    places: everywhere('home:.codeium/windsurf/mcp_config.json'),
    source: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  },
  {
    id: 'cline',
    name: 'Cline',
    format: 'json',
    key: 'mcpServers',
    places: everywhere(
      'settings:Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      'home:.cline/data/settings/cline_mcp_settings.json',
    ),
    source: 'https://docs.cline.bot/mcp/configuring-mcp-servers',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    places: everywhere('home:.gemini/settings.json'),
    source: 'https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md',
  },
  {
    id: 'codex',
    name: 'Codex CLI',
    format: 'toml',
    key: 'mcp_servers',
    places: everywhere('codex:config.toml'),
    source: 'https://developers.openai.com/codex/mcp',
  },
]

/** The files that a project brings along. Moved only when the owner asks for them. */
export const PROJECT_CONFIGS: readonly ClientConfig[] = [
  {
    id: 'claude-code-project',
    name: 'Claude Code in this project',
    format: 'json',
    key: 'mcpServers',
    hasType: true,
    isOfProject: true,
    places: everywhere('project:.mcp.json'),
    source: 'https://code.claude.com/docs/en/mcp',
  },
  {
    id: 'cursor-project',
    name: 'Cursor in this project',
    format: 'json',
    key: 'mcpServers',
    isOfProject: true,
    places: everywhere('project:.cursor/mcp.json'),
    source: 'https://cursor.com/docs/context/mcp',
  },
  {
    id: 'vscode-project',
    name: 'VS Code in this project',
    format: 'json',
    key: 'servers',
    hasType: true,
    isOfProject: true,
    places: everywhere('project:.vscode/mcp.json'),
    source: 'https://code.visualstudio.com/docs/copilot/customization/mcp-servers',
  },
]

/** All that are looked at from here. In the home folder itself the files of a project are those of the person. */
export function configsAt({ project, home }: ConfigFolders): readonly ClientConfig[] {
  const hasProject = project !== undefined && project !== home
  return hasProject ? [...CLIENT_CONFIGS, ...PROJECT_CONFIGS] : CLIENT_CONFIGS
}

/** The paths at which the client may keep its servers, the usual one first. */
export function placesOf({ places }: ClientConfig, folders: ConfigFolders): readonly string[] {
  return places[folders.platform].map((place) => {
    const [folder = '', path = ''] = place.split(':')
    return join(folders[folder as 'home' | 'settings' | 'codex' | 'project'] ?? '', path)
  })
}

export function configFolders(
  platform: string,
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigFolders {
  const known = platform === 'darwin' || platform === 'win32' ? platform : 'linux'
  const settings = {
    linux: environment['XDG_CONFIG_HOME'] || join(home, '.config'),
    darwin: join(home, 'Library', 'Application Support'),
    win32: environment['APPDATA'] || join(home, 'AppData', 'Roaming'),
  }
  const codex = environment['CODEX_HOME'] || join(home, '.codex')
  return { platform: known, home, settings: settings[known], codex }
}
