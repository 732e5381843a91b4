/** A gateway in a process of its own, for tests that kill it. Its settings come as JSON; it prints its address. */
import { readConfig, startGateway } from "../src/index.ts"

const gateway = await startGateway(readConfig(JSON.parse(process.argv[2] ?? "{}")), { onError: (error) => console.error(error) })
console.log(gateway.url)
process.once("SIGTERM", () => {
  void gateway.stop().then(() => process.exit(0))
})
