/** Playwright. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm } from '../known-service.ts'

export const playwright: Service = knownService({
  slug: 'playwright',
  title: 'Playwright',
  about: 'Drive a browser: open, click, type, read.',
  aliases: ['browser', 'playwright mcp'],
  launch: npm(
    '@playwright/mcp',
    '0.0.83',
    'sha512-oNcl+Ae2/IAjhfPeP46BfIkSakfmprY+aOtkv5MjrQ4lPav4/yNtPhL0iq8SlIM90oApWgBDUxaNKvktazUKOg==',
    { args: ['--headless', '--isolated'] },
  ),
  domains: [],
  notes: [
    'It needs a Chromium that its sandbox can see, and reaches no host until you add some to its list.',
    "Pages it opens are strangers' words; browser_run_code_unsafe runs code.",
  ],
})
