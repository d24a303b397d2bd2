/**
 * Every command and every sample of the two specifications that flows come from: C, "MCP Server Integration and
 * Security Model", and D, its second version. Each sample stands beside the line that is typed here: `pflow` is
 * `cordon`, and the names of tools and arguments are those of the real servers (`search_code` takes `q` and `per_page`;
 * Slack's server posts a `text` to a `channel_id`). `>>` is quoted, since a shell would take it as a redirection.
 */

export interface Sample {
  /** The text of the specification; for a longer sample, the line that identifies it. */
  readonly seed: string
  /** The line typed here, if the sample is a command. */
  readonly typed?: string
  /** Why the sample has no transcript, and which test covers it instead. */
  readonly because?: string
}

const WAIT = '--wait'
const FIND_AND_TELL = `echo "TODO comments" | cordon 'mcp-github-search-code --per-page=3 >> summarize-text >> mcp-slack-post-message --channel-id=dev-team' ${WAIT}`
const SECURITY_ALERTS = `echo "security vulnerability" | \\
  cordon 'mcp-github-search-code --per-page 10 >> \\
  llm --prompt="Summarize these security findings" --temperature 0.3 >> \\
  mcp-slack-post-message --channel-id security-alerts' ${WAIT}`

export const SAMPLES: Readonly<Record<string, Sample>> = {
  'C§4 mcp.json': { seed: '"local-fs": { "transport": "stdio" … }, "weather-remote": …' },
  'C§4 add': { seed: 'pflow mcp add', typed: 'cordon mcp add --help' },
  'C§4 edit': { seed: 'pflow mcp edit', typed: 'cordon mcp edit weather --pin 1.2.4' },
  'C§5 add': {
    seed: 'pflow mcp add --transport sse --url https://… --name weather --token-env PFLOW_WEATHER_TOKEN',
    typed:
      'cordon mcp add --transport sse --url https://api.weathercorp.com/sse --name weather --token-env PFLOW_WEATHER_TOKEN',
  },
  'C§5 launch': { seed: 'pflow mcp launch <name>', typed: 'cordon mcp launch weather' },
  'C§5 daemon': { seed: 'pflow mcp daemon', typed: 'cordon mcp daemon' },
  'C§5 list': { seed: 'pflow mcp list', typed: 'cordon mcp list' },
  'C§6 wrapper': {
    seed: 'class Mcp_<tool>(Node): …',
    typed: 'cordon registry export mcp-weather-get-weather --ts',
  },
  'C§7 executor': {
    seed: 'if transport == "stdio": … elif transport == "uds": … elif transport in ("sse", "stream-http"): …',
    because:
      'an inner part; calls over stdio and over sse are in the transcripts, over uds and stream-http in test/servers/runtime',
  },
  'C§8.1 token_env': { seed: '`token_env` names env var; absence aborts' },
  'C§8.2 --insecure': {
    seed: 'refuse `http:`. CLI flag `--insecure` bypasses for dev',
    typed: 'cordon mcp add plain --transport sse --url http://localhost:1/sse --insecure',
  },
  'C§8.2 pin': { seed: '~/.pflow/certs/<name>.pem' },
  'C§8.4 --trust-pure': {
    seed: '--trust-pure',
    typed: 'cordon --json mcp-filesystem-list-directory --path /tmp --trust-pure',
  },
  'C§9 failures': { seed: '| Process missing | Suggest `pflow mcp launch` | …' },
  'C§10.1 gh': { seed: '"gh": { "command": "npx", "args": ["-y", "mcp-github"] … }' },
  'C§10.1 launch': { seed: 'pflow mcp launch gh', typed: 'cordon mcp launch gh' },
  'C§10.2 mem': { seed: '"mem": { "command": "python", "args": ["mcp_mem.py"] … }' },
  'C§10.3 stripe': {
    seed: '"stripe": { "transport": "sse", "url": "https://billing.example.com/sse" … }',
  },
  'C§10 flow': {
    seed: 'pflow mcp_github.search_code --query "TODO" >> summarize >> mcp_stripe.create_customer',
    typed: `cordon 'mcp_github.search_code --q "TODO" >> summarize >> mcp_stripe.create_customer' ${WAIT}`,
  },
  'C§11 mock': {
    seed: 'PFLOW_MCP_MOCK=1',
    because: 'nothing is mocked: the tests start real servers in real sandboxes',
  },
  'D§3 node': {
    seed: 'class McpGithubSearchCodeNode(Node):',
    typed: 'cordon registry export mcp-github-search-code --ts',
  },
  'D§4.1 entry': {
    seed: '"node_id": "mcp-github-search-code", "type": "mcp_wrapper", "mcp_config": …',
  },
  'D§4.3 add': {
    seed: 'pflow registry add-mcp --server github --tool search_code --command "mcp-github" --transport stdio',
    typed:
      'cordon registry add-mcp --server gh --tool search_code --command "node $MCP_GITHUB" --transport stdio',
  },
  'D§4.3 list': {
    seed: 'pflow registry list --filter mcp',
    typed: 'cordon registry list --filter mcp',
  },
  'D§4.3 refresh': {
    seed: 'pflow registry refresh --mcp-server github',
    typed: 'cordon registry refresh --mcp-server github',
  },
  'D§4.3 describe': {
    seed: 'pflow registry describe mcp-github-search-code',
    typed: 'cordon registry describe mcp-github-search-code',
  },
  'D§4.3 validate': {
    seed: 'pflow registry validate --all',
    typed: 'cordon registry validate --all',
  },
  'D§5.1 missing': {
    seed: `raise ValueError("Missing required 'query' in shared store")`,
    typed: 'cordon run missing.json',
  },
  'D§5.2 docstring': {
    seed: 'def generate_node_docstring(mcp_tool): …',
    typed: 'cordon registry describe mcp-slack-list-channels',
  },
  'D§5.3 weather': {
    seed: '| `get_weather` | `mcp-weather-get` |',
    typed: 'cordon registry describe mcp-weather-get',
  },
  'D§5.3 repos': {
    seed: '| `search_repositories` | `mcp-github-search-repos` |',
    typed: 'cordon registry describe mcp-github-search-repos',
  },
  'D§5.3 slack': {
    seed: '| `send_slack_message` | `mcp-slack-send-message` |',
    typed: 'cordon registry describe mcp-slack-post-message',
  },
  'D§5.3 files': {
    seed: '| `list_files` | `mcp-filesystem-list-files` |',
    typed: 'cordon registry describe mcp-filesystem-list-directory',
  },
  'D§5.3 finance': {
    seed: '| `get_stock_price` | `mcp-finance-get-stock` |',
    because: 'no server of this name; the rule is that of the other four',
  },
  'D§5.3 keys': { seed: '# mcp-weather-get # Inputs: shared["location"], shared["units"] …' },
  'D§5.3 search': {
    seed: 'pflow registry search mcp-github',
    typed: 'cordon registry search mcp-github',
  },
  'D§5.3 future': {
    seed: 'pflow mcp slack send-message',
    typed: 'cordon mcp slack post-message --channel-id general --text Hello --yes',
  },
  'D§6.2 mappings': { seed: '"input_mappings": { "query": "search_terms", … }' },
  'D§6.2 proxy': {
    seed: 'def execute_mcp_node_with_mapping(node, shared, mappings=None): …',
    because: 'an inner part; the run of the mappings above goes through it',
  },
  'D§6.3 data': {
    seed: 'pflow mcp-github-search-code --query="authentication bugs" --language="python"',
    typed: 'cordon mcp-github-search-code --q="authentication bugs language:python"',
  },
  'D§6.3 params': {
    seed: 'pflow mcp-github-search-code --max-results=20',
    typed: 'cordon mcp-slack-list-channels --limit=20',
  },
  'D§6.3 pipe': {
    seed: 'echo "TODO comments" | pflow mcp-github-search-code --language=python >> summarize-text >> mcp-slack-send-message --channel=dev-team',
    typed: FIND_AND_TELL,
  },
  'D§7.1 messages': { seed: '"rate_limited": "GitHub API rate limit exceeded. …", …' },
  'D§7.2 edges': { seed: 'github_search - "rate_limited" >> retry_handler >> github_search …' },
  'D§7.3 transports': { seed: '| `stdio` process death | Clear error message | …' },
  'D§8.1 IR': { seed: '"metadata": { "planner_version": "1.0.0", … }, "nodes": [ … ]' },
  'D§8.2 selection': {
    seed: '"chosen_nodes": [ "mcp-github-search-code", "llm", "mcp-slack-send-message" ]',
  },
  'D§8.3 code': {
    seed: 'github_search >> processor >> slack_sender',
    typed: 'cordon flow export alerts.json --format text',
  },
  'D§9.1 flow_safe': {
    seed: '@flow_safe class McpGithubGetRepository(Node): …',
    typed: 'cordon --json registry describe mcp-slack-post-message',
  },
  'D§9.2 --trust-readonly': {
    seed: '--trust-readonly',
    typed: 'cordon --json mcp-filesystem-directory-tree --path /tmp/notes --trust-readonly',
  },
  'D§9.3 auth': {
    seed: '"server_id": "github-enterprise", "auth": { "token_env": …, "scopes": … }',
  },
  'D§9.4 --insecure': {
    seed: 'Development `--insecure` flag bypasses for local testing',
    typed: 'cordon mcp add far --transport sse --url http://api.weathercorp.com/sse --insecure',
  },
  'D§10.1 add': {
    seed: 'pflow registry add-mcp --server github --command "mcp-github" --transport stdio',
    typed: 'cordon registry add-mcp --server gh2 --command "node $MCP_GITHUB" --transport stdio',
  },
  'D§10.1 list': {
    seed: 'pflow registry list --filter github',
    typed: 'cordon registry list --filter github',
  },
  'D§10.1 use': {
    seed: 'pflow mcp-github-search-code --query "authentication" --language "python" >> summarize-text',
    typed: `cordon 'mcp-github-search-code --q "authentication language:python" >> summarize-text'`,
  },
  'D§10.1 words': {
    seed: 'pflow "find Python authentication bugs on GitHub and create a summary"',
    because: 'words become a flow where plans are made; the flow that it would plan is run here',
  },
  'D§10.1 planned': {
    seed: '# Planner selects: mcp-github-search-code >> llm >> write-file',
    typed: `cordon 'mcp-github-search-code --q "authentication language:python" >> llm --prompt Summarize >> write-file --path summary.md' ${WAIT}`,
  },
  'D§10.2 flow': {
    seed: 'search_node >> processor >> notifier',
    because: 'the same three steps as below, in Python',
  },
  'D§10.2 pipe': {
    seed: 'echo "security vulnerability" | \\ pflow mcp-github-search-code --language python --max-results 10 >> \\ …',
    typed: SECURITY_ALERTS,
  },
  'D§10.3 marketplace': { seed: '"marketplace_flow": { "nodes": [ … ], "mappings": … }' },
  'D§12.1 test': {
    seed: 'def test_mcp_github_search_node(): …',
    because: 'a test of one node with a mock; here every node runs against its real server',
  },
  'D§13.1 migrate': {
    seed: 'pflow registry migrate-mcp --from ~/.pflow/mcp.json --backup',
    typed: 'cordon registry migrate-mcp --from ~/.pflow/mcp.json --backup',
  },
  'D§13.1 validate': {
    seed: 'pflow registry validate --mcp-wrappers',
    typed: 'cordon registry validate --mcp-wrappers',
  },
  'D§13.1 connections': {
    seed: 'pflow registry test-mcp-connections',
    typed: 'cordon registry test-mcp-connections',
  },
}

/** The line to type. */
export function typed(id: string): string {
  const line = SAMPLES[id]?.typed
  if (line === undefined) throw new Error(`${id} is no line to type`)
  return line
}
