/** Playwright. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { despiteHints, knownService, npm, reads, runs, writes } from '../known-service.ts'

export const playwright: Service = knownService({
  slug: 'playwright',
  title: 'Playwright',
  about: 'Drive a browser: open, click, type, read.',
  aliases: ['browser', 'playwright mcp'],
  label: 'internal',
  launch: npm(
    '@playwright/mcp',
    '0.0.83',
    'sha512-oNcl+Ae2/IAjhfPeP46BfIkSakfmprY+aOtkv5MjrQ4lPav4/yNtPhL0iq8SlIM90oApWgBDUxaNKvktazUKOg==',
    { args: ['--headless', '--isolated', '--no-sandbox'] },
  ),
  domains: [],
  // The browser itself looks for updates, components and lists of bad pages.
  telemetryDomains: [
    'update.googleapis.com',
    '*.gvt1.com',
    'accounts.google.com',
    'clients2.google.com',
  ],
  env: { PLAYWRIGHT_MCP_EXECUTABLE_PATH: '{browser}' },
  startsBrowser: true,
  memoryLimit: '1500m',
  tools: {
    // Not listed: tools whose effect depends on the page. A click can buy.
    ...reads(`
      browser_console_messages browser_find browser_network_requests browser_network_request
      browser_take_screenshot browser_snapshot browser_wait_for
    `),
    // The server's hints call all of these destructive, even moving the mouse.
    ...despiteHints(
      writes(`
      browser_close browser_resize browser_emulate_media browser_navigate browser_navigate_back
      browser_hover browser_tabs
    `),
    ),
    ...runs('browser_evaluate', 'browser_run_code_unsafe'),
  },
  notes: [
    'It starts the Chromium or Chrome of this machine, and reaches no host until you add some to its list.',
    "Pages it opens are strangers' words; browser_run_code_unsafe runs code.",
  ],
})
