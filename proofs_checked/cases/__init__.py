"""What several claims need: families listed whole, values worked out the slow way, proofs about symbols."""
