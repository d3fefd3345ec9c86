/** A worker as it is built, with the means to kill it from a test. Started in place of the worker's own entry file. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import type { WorkerData } from '#contracts/wire/worker-lifecycle.ts'
import { listenForDeath } from './deaths.ts'

const { name, bundles } = workerData as WorkerData
listenForDeath(name)
await import(pathToFileURL(path.join(bundles, name, 'entry.js')).href)
