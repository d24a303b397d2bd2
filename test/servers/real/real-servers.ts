/**
 * Twenty-five servers as people have them, at exact versions: from the catalog, which knows what they need, and from
 * elsewhere, which Cordon knows nothing of. Each with the line that its README has people paste, and one call. Data only;
 * `HOME` in it stands for the home folder of the test.
 */

import { SLACK_TEAM } from '../../fixtures/slack-stand-in.ts'

export const TOKENS: Readonly<Record<'notion' | 'github' | 'slack', string>> = {
  notion: `ntn_${'Good1234'.repeat(6)}`,
  github: `ghp_${'Good12345'.repeat(4)}`,
  slack: `xoxb-1234567890-${'Good1234'.repeat(3)}`,
}

export interface RealServer {
  readonly server: string
  readonly package: string
  /** Absent for a service of the catalog. */
  readonly version?: string
  readonly args?: readonly string[]
  /** Settings and tokens, as they stand in the files of other programs. */
  readonly env?: Readonly<Record<string, string>>
  /** Answers to what `connect` asks, a line each. */
  readonly answers?: readonly string[]
  readonly call: readonly [tool: string, args: Readonly<Record<string, unknown>>, answer: RegExp]
}

const scope = '@modelcontextprotocol'
const thought = { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
const plan = { originalRequest: 'Tea', tasks: [{ title: 'Boil', description: 'Water' }] }
/** These ask a service that is not there: the answer is that it was not reached. */
const UNREACHED = /fail|error|reach|connect|not allowed/i

const OF_CATALOG: readonly RealServer[] = [
  {
    server: 'everything',
    package: `${scope}/server-everything`,
    call: ['echo', { message: 'hi' }, /Echo: hi/],
  },
  {
    server: 'filesystem',
    package: `${scope}/server-filesystem`,
    args: ['HOME/notes'],
    answers: ['read'],
    call: ['read_text_file', { path: 'HOME/notes/tea.md' }, /Assam/],
  },
  { server: 'memory', package: `${scope}/server-memory`, call: ['read_graph', {}, /"entities"/] },
  {
    server: 'sequential-thinking',
    package: `${scope}/server-sequential-thinking`,
    call: ['sequentialthinking', thought, /"thoughtNumber": 1/],
  },
  {
    server: 'notion',
    package: '@notionhq/notion-mcp-server',
    env: { NOTION_TOKEN: TOKENS.notion },
    answers: [TOKENS.notion],
    call: ['API-get-self', {}, /"object": "user"/],
  },
  {
    server: 'github',
    package: `${scope}/server-github`,
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKENS.github },
    answers: [TOKENS.github],
    call: ['search_code', { q: 'TODO' }, /total_count/],
  },
  {
    server: 'slack',
    package: '@zencoderai/slack-mcp-server',
    env: { SLACK_BOT_TOKEN: TOKENS.slack, SLACK_TEAM_ID: SLACK_TEAM },
    answers: [TOKENS.slack, SLACK_TEAM],
    call: ['slack_list_channels', {}, /dev-team/],
  },
  {
    server: 'brave-search',
    package: '@brave/brave-search-mcp-server',
    env: { BRAVE_API_KEY: `BSA${'Good1234'.repeat(4)}` },
    answers: [`BSA${'Good1234'.repeat(4)}`],
    call: ['brave_web_search', { query: 'tea' }, UNREACHED],
  },
]

const STRANGERS: readonly RealServer[] = [
  {
    server: 'time',
    package: 'time-mcp',
    version: '1.0.6',
    call: ['days_in_month', { date: '2028-02-01' }, /\b29\b/],
  },
  {
    server: 'code-runner',
    package: 'mcp-server-code-runner',
    version: '0.1.8',
    call: ['run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' }, /^42$/m],
  },
  {
    server: 'commands',
    package: 'mcp-server-commands',
    version: '0.5.0',
    call: ['run_command', { command: 'echo $((6 * 7))' }, /\b42\b/],
  },
  {
    server: 'git',
    package: '@cyanheads/git-mcp-server',
    version: '2.15.3',
    call: ['git_init', { path: '/tmp/repo' }, /"success": true/],
  },
  {
    server: 'sqlite-tools',
    package: 'mcp-sqlite-tools',
    version: '0.1.1',
    call: ['create_database', { path: '/tmp/tea.db' }, /"success": true/],
  },
  {
    server: 'obsidian',
    package: 'obsidian-mcp',
    version: '2.0.1',
    args: ['HOME/notes'],
    answers: ['write'],
    call: ['obsidian_read_note', { vault: 'notes', path: 'tea.md' }, /Assam/],
  },
  {
    server: 'taskmanager',
    package: '@kazuph/mcp-taskmanager',
    version: '1.1.1',
    call: ['request_planning', plan, /"totalTasks": 1/],
  },
  {
    server: 'agent-infra-mcp-server-filesystem',
    package: '@agent-infra/mcp-server-filesystem',
    version: '1.2.29',
    args: ['--allowed-directories', 'HOME/notes'],
    answers: ['read'],
    call: ['read_file', { path: 'HOME/notes/tea.md' }, /Assam/],
  },
  {
    server: 'google-maps',
    package: `${scope}/server-google-maps`,
    version: '0.6.2',
    env: { GOOGLE_MAPS_API_KEY: 'AIzaSyMadeUpMadeUpMadeUpMadeUpMadeUp12' },
    answers: ['AIzaSyMadeUpMadeUpMadeUpMadeUpMadeUp12'],
    call: ['maps_geocode', { address: 'Assam' }, UNREACHED],
  },
  {
    server: 'searxng',
    package: 'mcp-searxng',
    version: '2.4.0',
    call: ['searxng_instance_info', {}, /SEARXNG_URL is not configured/],
  },
  {
    server: 'nx',
    package: 'nx-mcp',
    version: '0.25.0',
    call: ['nx_docs', { userQuery: 'cache' }, UNREACHED],
  },
  {
    server: 'chart',
    package: '@antv/mcp-server-chart',
    version: '0.9.10',
    call: ['generate_pie_chart', { data: [{ category: 'Assam', value: 1 }] }, UNREACHED],
  },
  {
    server: 'shrimp-task-manager',
    package: 'mcp-shrimp-task-manager',
    version: '1.0.21',
    call: [
      'process_thought',
      {
        thought: 'Tea',
        thought_number: 1,
        total_thoughts: 1,
        next_thought_needed: false,
        stage: 'Analysis',
      },
      /Tea/,
    ],
  },
  {
    server: 'mui-mcp',
    package: '@mui/mcp',
    version: '0.1.6',
    call: ['fetchDocs', { urls: ['https://mui.com/material-ui/llms.txt'] }, UNREACHED],
  },
  {
    server: 'browsermcp-mcp',
    package: '@browsermcp/mcp',
    version: '0.1.3',
    call: ['browser_get_console_logs', {}, /No connection to browser extension/],
  },
  {
    server: 'trello',
    package: '@delorenj/mcp-server-trello',
    version: '1.8.1',
    env: {
      TRELLO_API_KEY: 'Good1234567890abcdef0123456789abcdef',
      TRELLO_TOKEN: 'Good1234-token-0123456789abcdef0123456789',
    },
    answers: ['Good1234567890abcdef0123456789abcdef', 'Good1234-token-0123456789abcdef0123456789'],
    call: ['list_boards', {}, UNREACHED],
  },
  {
    server: 'puppeteer',
    package: `${scope}/server-puppeteer`,
    version: '2025.5.12',
    call: ['puppeteer_evaluate', { script: '6 * 7' }, /42/],
  },
]

export const REAL_SERVERS: readonly RealServer[] = [...OF_CATALOG, ...STRANGERS]
