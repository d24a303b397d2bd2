/**
 * Programs that use the gateway, with the limits that they are known to have, each with the page that says so. A limit
 * decides how much a program is sent at once: nothing here permits or forbids a call.
 */
import type { ClientKind } from '../../ports/client-limits.ts'

export const KNOWN_CLIENTS: readonly ClientKind[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    names: ['claude-code'],
    limits: {
      resultTokens: { most: 25_000, source: 'https://code.claude.com/docs/en/mcp' },
      timeoutMs: {
        most: 300_000,
        source:
          'https://gitea.torbjorn.org/torbjorn/my-pal-mcp-server/commit/3ddfed5ef09000791e1c94b041c43dc273ed53a8?files=docs',
      },
    },
  },
  { id: 'claude-desktop', title: 'Claude Desktop', names: ['claude-ai'], limits: {} },
  {
    id: 'cursor',
    title: 'Cursor',
    names: ['cursor-vscode', 'cursor'],
    limits: {
      tools: { most: 40, source: 'https://gitlab.com/fforster/gitlab-mcp/-/issues/36' },
    },
  },
  {
    id: 'vscode',
    title: 'Visual Studio Code',
    names: ['visual studio code', 'visual studio code - insiders'],
    limits: {
      tools: { most: 128, source: 'https://www.mcpbundles.com/guides/how-many-tools' },
    },
  },
  {
    id: 'copilot-cli',
    title: 'GitHub Copilot CLI',
    names: ['github-copilot-developer', 'copilot-cli'],
    limits: {
      tools: {
        most: 30,
        source: 'https://docs.github.com/en/copilot/concepts/agents/copilot-cli/tool-search',
      },
    },
  },
  {
    id: 'copilot-jetbrains',
    title: 'GitHub Copilot for JetBrains',
    names: ['jetbrains-iu/copilot-intellij'],
    limits: {
      tools: {
        most: 128,
        source: 'https://github.com/microsoft/copilot-intellij-feedback/issues/1842',
      },
    },
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    names: ['windsurf', 'windsurf-client'],
    limits: {
      tools: {
        most: 100,
        source: 'https://www.desplega.ai/blog/deep-dive-windsurf-mcp-workflows',
      },
    },
  },
  {
    id: 'codex',
    title: 'Codex CLI',
    names: ['codex-mcp-client'],
    limits: {
      timeoutMs: { most: 60_000, source: 'https://github.com/openai/codex/pull/3959' },
    },
  },
  { id: 'gemini-cli', title: 'Gemini CLI', names: ['gemini-cli-mcp-client'], limits: {} },
  { id: 'cline', title: 'Cline', names: ['cline'], limits: {} },
]
