/**
 * Popular npm servers outside the catalog, each by the line that its README has people paste, with the answers to the
 * questions that it leads to and one call that needs nothing but this machine. Data only. `~/notes`, `~/data` and `~/repo`
 * are made by `try-all.ts`.
 */
import type { Answers } from './connect-by-line.ts'

export interface TriedServer {
  readonly line: string
  readonly answers?: Answers
  /** Absent where every tool asks a service elsewhere. */
  readonly call?: readonly [tool: string, args: Readonly<Record<string, unknown>>, useful: RegExp]
}

const WRITE: Answers = [[/access \(read or write\)$/, 'write']]
const MORE_MEMORY: Answers = [[/^Give .* of memory\?/, 'y']]

export const TRIED_SERVERS: readonly TriedServer[] = [
  {
    line: 'npx -y @cyanheads/git-mcp-server',
    call: ['git_init', { path: '/tmp/repo' }, /"success": true/],
  },
  {
    line: 'npx -y mcp-server-code-runner',
    call: ['run-code', { code: 'console.log(6 * 7)', languageId: 'javascript' }, /^42$/m],
  },
  {
    line: 'npx -y time-mcp',
    call: ['days_in_month', { date: '2028-02-01' }, /\b29\b/],
  },
  {
    line: 'npx -y mcp-sqlite-tools',
    call: ['create_database', { path: '/tmp/tea.db' }, /"success": true/],
  },
  {
    line: 'npx -y @mcp-z/mcp-pdf',
    call: ['text-measure', { items: [{ text: 'Tea', fontSize: 12 }] }, /"width": \d/],
  },
  {
    line: 'npx -y obsidian-mcp ~/notes',
    answers: WRITE,
    call: ['obsidian_read_note', { vault: 'notes', path: 'tea.md' }, /Assam, 250 grams/],
  },
  {
    line: 'npx -y @agent-infra/mcp-server-filesystem --allowed-directories ~/notes',
    answers: WRITE,
    call: ['read_file', { path: '~/notes/tea.md' }, /Assam, 250 grams/],
  },
  {
    line: 'npx -y mcp-server-commands',
    call: ['run_command', { command: 'echo $((6 * 7))' }, /\b42\b/],
  },
  {
    line: 'npx -y shadcn@latest mcp',
    call: ['get_audit_checklist', {}, /Component Audit Checklist/],
  },
  {
    line: 'npx -y @angular/cli mcp',
    call: ['get_best_practices', {}, /TypeScript Best Practices/],
  },
  {
    line: 'npx -y repomix --mcp',
    call: ['pack_codebase', { directory: '/usr/share/common-licenses' }, /Successfully packed/],
  },
  {
    line: 'npx -y n8n-mcp',
    answers: MORE_MEMORY,
    call: ['tools_documentation', {}, /search_nodes/],
  },
  {
    line: 'npx -y @executeautomation/playwright-mcp-server',
    call: ['start_codegen_session', { options: { outputPath: '/tmp/tests' } }, /"sessionId"/],
  },
  {
    line: 'npx -y @kazuph/mcp-taskmanager',
    call: [
      'request_planning',
      { originalRequest: 'Tea', tasks: [{ title: 'Boil', description: 'Water' }] },
      /"totalTasks": 1/,
    ],
  },
  {
    line: 'npx -y mcp-shrimp-task-manager',
    call: ['list_tasks', { status: 'all' }, /split_tasks/],
  },
  {
    line: 'npx -y @negokaz/excel-mcp-server',
    call: [
      'excel_write_to_sheet',
      {
        fileAbsolutePath: '/tmp/tea.xlsx',
        sheetName: 'Tea',
        newSheet: true,
        range: 'A1:B1',
        values: [['Assam', 250]],
      },
      /Assam/,
    ],
  },
  { line: 'npx -y mcp-server-kubernetes', call: ['ping', {}, /^\{\}$/m] },
  {
    line: 'npx -y octocode-mcp',
    call: ['localSearch', { queries: [{ operation: 'tree', path: '/home/mcp' }] }, /status: ok/],
  },
  {
    line: 'npx -y @elastic/mcp-server-elasticsearch',
    answers: [
      [/ES_URL/, 'http://localhost:9200'],
      [/ES_API_KEY/, 'made-up-key-0123456789abcdef'],
    ],
  },
  { line: 'npx -y @antv/mcp-server-chart' },
  { line: 'npx -y nx-mcp' },
  { line: 'npx -y @mui/mcp@latest' },
  { line: 'npx -y mcp-searxng', call: ['searxng_instance_info', {}, /"available": true/] },
  { line: 'npx -y @browsermcp/mcp@latest' },
  {
    line: 'npx -y @modelcontextprotocol/server-google-maps',
    answers: [[/GOOGLE_MAPS_API_KEY/, 'AIzaSyMadeUpMadeUpMadeUpMadeUpMadeUp12']],
  },
  {
    line: 'npx -y @delorenj/mcp-server-trello',
    answers: [
      [/TRELLO_API_KEY/, '0123456789abcdef0123456789abcdef'],
      [/TRELLO_TOKEN/, 'made-up-token-0123456789abcdef0123456789'],
    ],
  },
  {
    line: 'npx -y mcp-sqlite ~/data/tea.db',
    answers: WRITE,
    call: ['db_info', {}, /"tableCount"/],
  },
]
