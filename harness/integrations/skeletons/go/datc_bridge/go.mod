module datc_bridge

go 1.21

// TODO: your engine, by the name of its module, from its folder or from where it is published:
// require example.com/my-engine v0.0.0
// replace example.com/my-engine => ../
