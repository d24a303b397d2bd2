/** Made-up addresses for the tests of OAuth. */
export const ISSUER = 'https://as.cordon.test'
export const MCP_URL = 'https://mcp.cordon.test/mcp'
/** The client ID metadata document, which describes Cordon as an OAuth client. */
export const CLIENT_DOCUMENT = 'https://www.cordon.test/client.json'
