"""Changes of costs to a verdict: strategies, findings, severity and the gate."""
