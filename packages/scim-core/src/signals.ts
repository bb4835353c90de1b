export {
  createSignalReceiver,
  type SignalReceiver,
  type SignalReceiverOptions,
} from './signals/signal-receiver.ts'
export {
  type SecuritySignal,
  type SignalSubject,
  type SignalTransmitter,
} from './signals/signals.ts'
