"""Models: settings, the model file, the learned metric, what is made of it."""
