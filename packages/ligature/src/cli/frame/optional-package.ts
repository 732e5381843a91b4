/** Packages beside this one that some commands need. They are loaded when the command is called, and their absence is explained. */
import { phrase } from "../../model/index.ts"
import { UsageError } from "./usage-error.ts"

/** `missing`: what to say where it is not installed. */
export const loadPackage = async <Package>(name: string, missing: () => string): Promise<Package> => {
  try {
    return (await import(name)) as Package
  } catch (error) {
    const isMissing =
      error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}'`)
    if (!isMissing) throw error
    throw new UsageError(missing(), phrase`Install it beside this one: ${`npm install ${name}`}`)
  }
}
