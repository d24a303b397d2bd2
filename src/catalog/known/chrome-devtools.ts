/** Chrome DevTools. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm } from '../known-service.ts'

export const chromeDevtools: Service = knownService({
  slug: 'chrome-devtools',
  title: 'Chrome DevTools',
  about: 'Inspect and measure pages in a Chrome of its own.',
  aliases: ['chrome', 'devtools'],
  launch: npm(
    'chrome-devtools-mcp',
    '1.11.0',
    'sha512-CytJ/5tnzrS+J/74be2P5aCOsS/mmGRHys/Si+IYC4ucrbnWAmES/dYdxGJjeUCECRcoFUilZAysdjlwqUjXIA==',
    { bin: 'chrome-devtools-mcp', args: ['--headless', '--isolated'] },
  ),
  domains: [],
  env: {
    CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1',
    CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1',
  },
  notes: [
    'It needs a Chrome that its sandbox can see, and reaches no host until you add some to its list.',
  ],
})
