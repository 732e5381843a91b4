export declare const bundle: (folder: string) => Promise<void>
