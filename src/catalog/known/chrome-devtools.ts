/** Chrome DevTools. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, runs, writes } from '../known-service.ts'

export const chromeDevtools: Service = knownService({
  slug: 'chrome-devtools',
  title: 'Chrome DevTools',
  about: 'Inspect and measure pages in a Chrome of its own.',
  aliases: ['chrome', 'devtools'],
  label: 'internal',
  launch: npm(
    'chrome-devtools-mcp',
    '1.11.0',
    'sha512-CytJ/5tnzrS+J/74be2P5aCOsS/mmGRHys/Si+IYC4ucrbnWAmES/dYdxGJjeUCECRcoFUilZAysdjlwqUjXIA==',
    {
      bin: 'chrome-devtools-mcp',
      args: [
        '--headless',
        '--isolated',
        '--executablePath={browser}',
        '--chromeArg=--no-sandbox',
        '--chromeArg=--disable-dev-shm-usage',
      ],
    },
  ),
  domains: [],
  // The browser itself looks for updates, components and lists of bad pages.
  telemetryDomains: [
    'update.googleapis.com',
    '*.gvt1.com',
    'accounts.google.com',
    'clients2.google.com',
  ],
  startsBrowser: true,
  memoryLimit: '1500m',
  env: {
    CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1',
    CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1',
  },
  tools: {
    // Not listed: tools whose effect depends on the page. A click can buy.
    ...reads(`
      get_console_message get_css_styles get_network_request list_console_messages
      list_network_requests list_pages performance_analyze_insight select_page take_screenshot
      take_snapshot wait_for
    `),
    ...writes(`
      close_page emulate hover lighthouse_audit new_page performance_start_trace
      performance_stop_trace resize_page screencast_start screencast_stop take_heapsnapshot
    `),
    ...runs('evaluate_script'),
  },
  notes: [
    'It starts the Chromium or Chrome of this machine, and reaches no host until you add some to its list.',
  ],
})
