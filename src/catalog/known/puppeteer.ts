/** Puppeteer. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, runs, writes } from '../known-service.ts'

export const puppeteer: Service = knownService({
  slug: 'puppeteer',
  title: 'Puppeteer',
  about: 'Drive a browser with few tools: open, click, fill, screenshot.',
  aliases: ['puppeteer mcp'],
  label: 'internal',
  launch: npm(
    '@modelcontextprotocol/server-puppeteer',
    '2025.5.12',
    'sha512-uG5QIxnnAkL6m7snXcsgC3k8ZnkYlikYZN016re6TEwtXwKUoJjRMzsqbwqw45IqP+7pXvN9vuPJ/OuHu70jow==',
  ),
  domains: [],
  // The browser itself looks for updates, components and lists of bad pages.
  telemetryDomains: [
    'update.googleapis.com',
    '*.gvt1.com',
    'accounts.google.com',
    'clients2.google.com',
  ],
  env: {
    PUPPETEER_EXECUTABLE_PATH: '{browser}',
    // Else it opens a window, and expects the browser's own sandbox.
    DOCKER_CONTAINER: 'true',
  },
  startsBrowser: true,
  memoryLimit: '1500m',
  tools: {
    // Not listed: tools whose effect depends on the page. A click can buy.
    ...reads('puppeteer_screenshot'),
    ...writes('puppeteer_navigate puppeteer_hover'),
    ...runs('puppeteer_evaluate'),
  },
  notes: [
    'It starts the Chromium or Chrome of this machine, and reaches no host until you add some to its list.',
  ],
})
